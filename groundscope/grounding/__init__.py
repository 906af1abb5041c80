"""Groundedness of answers (Trautmann et al. 2024): results, rules, comparisons and misclassified responses."""
