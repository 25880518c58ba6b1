// Adds to the pages what needs a script: the search, the panel with the details of a call, and the filters of findings.

import { listenToFilters } from "./filters.js";
import { listenToCallLinks, listenToPanel } from "./opening.js";
import { listenToSearch } from "./search.js";
import { listenToTextSearch } from "./text.js";

listenToSearch();
listenToCallLinks();
listenToPanel();
listenToTextSearch();
listenToFilters();
