"""What comes from elsewhere is data: results files, replies of workers, and files of any kind."""
