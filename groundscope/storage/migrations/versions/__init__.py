"""One file a version of the tables; `groundscope.storage.database.HEAD` names the newest."""
