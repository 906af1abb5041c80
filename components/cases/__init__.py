"""The cases page: paste, upload, browse and make variants."""
