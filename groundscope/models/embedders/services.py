"""Providers of embeddings, and how a line of text names one of their models.

    openai:text-embedding-3-large
    openai:nomic-embed-text@http://localhost:11434/v1;tokens=2048
    google:gemini-embedding-001;dimensions=768

`provider:model`, then where it is not the provider's own the address, then settings that differ from the defaults. Keys are never
part of it: they come from the environment.
"""

from dataclasses import dataclass

from groundscope.chat.model_spec import check_form, is_name, model_and_address, read_setting


@dataclass(frozen=True, slots=True)
class Service:
    """A provider, and what one request to it may hold.

    `keys`: variables of the environment of which one must hold a key. `tokens`: of one text, after which it is cut here; 0 =
    the provider cuts.
    """

    id: str
    title: str
    model: str
    name: str
    keys: tuple[str, ...]
    package: str
    installed: str
    variable: str
    base: str
    texts: int
    tokens: int
    added: int
    tasks: str


SERVICES = {
    s.id: s
    for s in (
        Service(
            "openai", "OpenAI", "text-embedding-3-large", "Text Embedding 3 Large", ("OPENAI_API_KEY",), "openai", "openai",
            "OPENAI_BASE_URL", "https://api.openai.com/v1", texts=2_048, tokens=8_192, added=0, tasks="no tasks",
        ),
        # 13 tokens are added to a query; a document has one less (docs.isaacus.com/pricing/costs).
        Service(
            "isaacus", "Isaacus", "kanon-2-embedder", "Kanon 2 Embedder", ("ISAACUS_API_KEY",), "isaacus", "isaacus",
            "ISAACUS_BASE_URL", "https://api.isaacus.com/v1", texts=128, tokens=0, added=13,
            tasks="retrieval/document and retrieval/query, drop_end",
        ),
        # What the API itself says of more texts: "at most 100 requests can be in one batch".
        Service(
            "google", "Google", "gemini-embedding-001", "Gemini Embedding 001", ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
            "google.genai", "google-genai", "GOOGLE_GEMINI_BASE_URL", "https://generativelanguage.googleapis.com", texts=100,
            tokens=2_048, added=0, tasks="RETRIEVAL_DOCUMENT and RETRIEVAL_QUERY",
        ),
    )
}  # fmt: skip
TOKENS_A_REQUEST = 300_000
"""What OpenAI takes in one request, and enough for one to anybody else."""
_USUAL, _USUAL_ELSEWHERE = 256, 32
"""Texts a request: fewer than may be, so that progress shows and a broken connection costs little; one's own server is slower."""


@dataclass(frozen=True, slots=True)
class EmbedderSpec:
    """A provider's model and its call settings: an empty address = the provider's server, 0 dimensions = the model's default.

    Texts of more than `tokens` are cut here; 0 = the provider cuts.
    """

    service: Service
    model: str
    address: str
    dimensions: int
    tokens: int
    texts: int
    seconds: int

    @property
    def signature(self) -> str:
        """Everything that affects its vectors; no settings of speed and no key."""
        where = f"@{self.address}" if self.address else ""
        sizes = f"dimensions={self.dimensions or 'all'}|tokens={self.tokens or 'all'}"
        return f"{self.service.id}:{self.model}{where}|fp32|{sizes}|{self.service.tasks}|length 1"

    @property
    def title(self) -> str:
        """Name for users."""
        if self.address:
            return f"{self.model}, a server of your own"
        default = self.model == self.service.model
        return f"{self.service.name if default else self.model} ({self.service.title})"


def parse(line: str) -> EmbedderSpec:
    """Parse a line; what a name in its address stands for is checked when it is used."""
    head, *settings = line.split(";")
    provider, _, rest = head.partition(":")
    service = SERVICES[provider]
    model, address = model_and_address(rest)
    if not is_name(model) or "@" in model:
        raise ValueError(f"Name the model of {service.title}, like {service.id}:{service.model}.")
    check_form(address)
    usual = _USUAL_ELSEWHERE if address else _USUAL
    values = {"dimensions": 0, "tokens": service.tokens, "texts": min(usual, service.texts), "seconds": 300}
    ranges = {"dimensions": (1, 65_536), "tokens": (1, 1_000_000), "texts": (1, service.texts), "seconds": (1, 3_600)}
    for setting in settings:
        name, value = read_setting(setting, ranges, "a whole number")
        values[name] = int(value)
    return EmbedderSpec(service, model, address.rstrip("/"), **values)
