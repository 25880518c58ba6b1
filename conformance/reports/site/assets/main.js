// Adds to the pages what needs a script: the search, and the panel with the details of a call.

import { listenToPanel } from "./opening.js";
import { listenToSearch } from "./search.js";
import { listenToTextSearch } from "./text.js";

listenToSearch();
listenToPanel();
listenToTextSearch();
