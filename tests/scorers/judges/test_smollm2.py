"""The base of the adapter: what the code says of it is what its file says, and its answers are single tokens."""

from groundscope.methods import registry
from groundscope.types import Case, Passage
from scorers._weights import smollm2


def test_the_configuration_is_that_of_the_file() -> None:
    from transformers import AutoConfig

    found = AutoConfig.from_pretrained(str(smollm2.folder()), gguf_file=smollm2.FILE).to_dict()
    assert {name: found[name] for name in smollm2.CONFIG} == smollm2.CONFIG
    assert (found["model_type"], found["hidden_act"], found["attention_bias"], found["mlp_bias"]) == (
        "llama",
        "silu",
        False,
        False,
    )


def test_it_says_where_the_sources_say_otherwise() -> None:
    source = Passage("p", "The tenant must give the landlord written notice at least 30 days before the lease ends.")
    sound = "At least 30 days before the lease ends, the tenant must give written notice to the landlord."
    otherwise = "The tenant need not give the landlord any notice before the lease ends."
    judged = registry.load("grounding_classifier:smollm2").score(Case("c", "", (source,), f"{sound} {otherwise}"))
    first, second = judged.sentences
    assert first.support is not None
    assert second.support is not None
    assert first.support > 0.5 > second.support
    assert second.contradiction is not None
    assert first.contradiction is not None
    assert second.contradiction > first.contradiction


def test_a_folder_of_the_user_may_take_the_place_of_the_weights_that_ship() -> None:
    assert [r.replaceable for r in registry.load("grounding_classifier").requirements()] == [True]
