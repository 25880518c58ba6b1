"""The processes of a target: its fork server and its workers."""
