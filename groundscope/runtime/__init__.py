"""What long work shares with the program around it: progress and cancelling, what is kept in memory, and the machine."""
