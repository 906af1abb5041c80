"""3-ply legal arguments (Zhang, Gray, Savelka and Ashley 2025): are factors invented, are those there are used, is it left be?"""
