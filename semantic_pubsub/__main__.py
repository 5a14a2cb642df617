"""`python -m semantic_pubsub`: the same as the `semantic-pubsub` command."""

from semantic_pubsub.cli import main

if __name__ == "__main__":
    main()
