"""3-ply legal arguments (Zhang, Gray, Savelka and Ashley 2025): invented factors, unused factors, and abstention."""
