"""What methods that ask a chat model share: providers, retries, limits, prompts and claims."""
