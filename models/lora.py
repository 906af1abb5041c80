"""Train an adapter (LoRA, Hu et al. 2021) of a language model on claims beside their evidence.

Claims of the same evidence share a row: the evidence is read once, every claim sees it and itself alone, at the positions that it
would have by itself. So a row gives the same answers as its pairs one by one, at 0.7 of the tokens.
"""

import json
import math
import random
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import torch
from torch.nn.functional import log_softmax
from torch.optim import AdamW, Optimizer

from groundscope.models.weights import smollm2
from groundscope.models.weights.checkpoint import readable
from groundscope.models.weights.memory import device
from groundscope.training.pair_figures import figures

YES, MAYBE, NO, NOT_YES = 0, 1, 2, 3
"""Entailment, neutral, contradiction; and one of the last two, where it is not known which."""
_PROJECTIONS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
_POOL = 40
"""So many batches are drawn at once and sorted by length: padding all but vanishes, and the order stays random enough."""
STATE = "state.pt"


def tokenizer() -> Any:
    """The base's tokenizer."""
    where = smollm2.folder()
    with readable(smollm2.NAME):
        from transformers import AutoTokenizer

        return AutoTokenizer.from_pretrained(str(where), gguf_file=smollm2.FILE, local_files_only=True)


def base_model(dtype: torch.dtype, attention: str = "sdpa") -> Any:
    """The base on the processor, a language model of transformers in evaluation mode; raises as `smollm2.weights`."""
    tensors = smollm2.weights()
    with readable(smollm2.NAME):
        from transformers import LlamaConfig, LlamaForCausalLM

        config = LlamaConfig(**smollm2.CONFIG)
        model = LlamaForCausalLM.from_pretrained(
            None, config=config, state_dict=tensors, dtype=dtype, attn_implementation=attention
        )
        # Else peft looks for the base on the hub.
        model.name_or_path = str(smollm2.folder())
    return model.eval()  # type: ignore[no-untyped-call]


class Claims(NamedTuple):
    """Evidence, and claims with what follows from it for each."""

    evidence: str
    claims: tuple[tuple[str, int], ...]


class PackedRow(NamedTuple):
    """Tokens of the evidence, and of each claim with its answer."""

    evidence: list[int]
    claims: list[list[int]]
    answers: list[int]

    @property
    def length(self) -> int:
        """Tokens together."""
        return len(self.evidence) + sum(map(len, self.claims))


@dataclass(frozen=True)
class Training:
    """How an adapter is trained.

    Attributes:
        rate: the highest learning rate; it rises over the first 3 % of the steps and falls to a tenth in a line.
        together: claims that share a row, at most.
        longest: tokens of evidence and claim; of longer evidence the end is cut.
        steps: batches that are taken, from the first on; 0 = all.
    """

    rate: float = 8e-4
    tokens: int = 8_000
    epochs: int = 2
    together: int = 6
    longest: int = 400
    rank: int = 16
    seed: int = 0
    steps: int = 0


def rows(tokens: Any, claims_by_evidence: Sequence[Claims], how: Training) -> list[PackedRow]:
    """Tokenise, and part evidence with many claims into several rows."""
    packed = []
    for evidence, claims in claims_by_evidence:
        for start in range(0, len(claims), how.together):
            some = claims[start : start + how.together]
            asked = [smollm2.question(tokens, evidence, claim) for claim, _ in some]
            room = max(32, how.longest - max(len(q) for _, q in asked))
            packed.append(PackedRow(asked[0][0][:room], [q[: how.longest] for _, q in asked], [a for _, a in some]))
    return packed


def batches(rows: Sequence[PackedRow], how: Training) -> list[list[PackedRow]]:
    """Rows of like length, all of them once an epoch, in an order that the seed decides."""
    draw = random.Random(how.seed)  # noqa: S311 - no secret
    return [batch for _ in range(how.epochs) for batch in _pass(rows, how, draw)][: how.steps or None]


def _pass(rows: Sequence[PackedRow], how: Training, draw: random.Random) -> list[list[PackedRow]]:
    order = draw.sample(list(rows), len(rows))
    ordered: list[list[PackedRow]] = []
    start = 0
    while start < len(order):
        pool, size = [], 0
        while start < len(order) and size < _POOL * how.tokens:
            pool.append(order[start])
            size += order[start].length
            start += 1
        some = list(_cut(sorted(pool, key=lambda r: -r.length), how.tokens))
        ordered += draw.sample(some, len(some))
    return ordered


def _cut(rows: Sequence[PackedRow], most: int) -> Iterator[list[PackedRow]]:
    start = 0
    while start < len(rows):
        count = max(1, most // rows[start].length)
        yield list(rows[start : start + count])
        start += count


class MasterAdamW(Optimizer):
    """AdamW on an fp32 copy of weights that the model holds in bf16: Micikevicius et al. 2018, *Mixed Precision Training*, 3.1.

    Small changes would be lost in bf16's eight bits; the copy keeps them.
    """

    def __init__(self, weights: Iterable[torch.nn.Parameter], rate: float, decay: float) -> None:
        """Copy the weights of model and loss that are trained, those with `requires_grad`; biases and norms do not decay."""
        live = [p for p in weights if p.requires_grad]
        super().__init__(
            [
                {"params": [p for p in live if p.ndim > 1], "weight_decay": decay},
                {"params": [p for p in live if p.ndim < 2], "weight_decay": 0.0},
            ],
            {"lr": rate},
        )
        self._masters = [[p.detach().float().clone() for p in group["params"]] for group in self.param_groups]
        self._adam = AdamW(
            [{**g, "params": m} for g, m in zip(self.param_groups, self._masters, strict=True)], lr=rate, fused=True
        )

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """Change the copy by the gradients, clear them, and round the copy into the model; `closure` is not used."""
        for ours, inner, masters in zip(self.param_groups, self._adam.param_groups, self._masters, strict=True):
            inner["lr"] = ours["lr"]
            for weight, master in zip(ours["params"], masters, strict=True):
                # The trainer clears the gradients of its model alone.
                master.grad, weight.grad = None if weight.grad is None else weight.grad.float(), None
        self._adam.step()
        self._round()

    def _round(self) -> None:
        for ours, masters in zip(self.param_groups, self._masters, strict=True):
            for weight, master in zip(ours["params"], masters, strict=True):
                weight.copy_(master)

    def state_dict(self) -> dict[str, Any]:
        """Give everything that a resume needs: the inner optimiser's state, the fp32 copy, and the learning rate, by group."""
        return {"adam": self._adam.state_dict(), "masters": self._masters, "rates": [g["lr"] for g in self.param_groups]}

    @torch.no_grad()
    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore copy, optimiser and learning rates for the same weights, and round the copy into the model."""
        self._adam.load_state_dict(state_dict["adam"])
        for group, rate in zip(self.param_groups, state_dict["rates"], strict=True):
            group["lr"] = rate
        for ours, theirs in zip(self._masters, state_dict["masters"], strict=True):
            for master, stored in zip(ours, theirs, strict=True):
                master.copy_(stored)
        self._round()


class Trainable(Protocol):
    """A judge with weights that are trained; `model` has nothing else that needs a gradient."""

    model: Any

    def logits(self, batch: Sequence[PackedRow]) -> torch.Tensor:
        """Logits (n_claims, 3) of the answers to all claims of a batch, in order."""

    def save(self, folder: Path) -> None:
        """Write what a loader needs."""


class AdaptedModel:
    """A base with an adapter that is trained."""

    def __init__(self, how: Training, adapter: Path | None = None, dtype: torch.dtype = torch.bfloat16) -> None:
        """Load the base in a number format, and a new adapter or the one of a folder."""
        from peft import LoraConfig, PeftModel, get_peft_model

        torch.manual_seed(how.seed)
        # On processors transformers' other kernels take longer to train in bf16.
        self._device = device()
        base = base_model(dtype, "eager" if self._device == "cpu" else "sdpa").to(self._device)
        self.tokens = tokenizer()
        answers = [self.tokens(a, add_special_tokens=False)["input_ids"] for a in smollm2.ANSWERS]
        self._answers = base.get_input_embeddings().weight[[a for (a,) in answers]].detach()
        config = LoraConfig(
            r=how.rank, lora_alpha=2 * how.rank, target_modules=_PROJECTIONS, lora_dropout=0.0, task_type="CAUSAL_LM"
        )
        with warnings.catch_warnings():
            # They ask for nothing here: a name of peft's that is about to go, and a config that the base's file lacks.
            warnings.filterwarnings("ignore", "`is_gradient_checkpointing`", FutureWarning)
            warnings.filterwarnings("ignore", "Could not find a config file", UserWarning)
            if adapter:
                self.model = PeftModel.from_pretrained(base, str(adapter), is_trainable=True, autocast_adapter_dtype=False)
            else:
                self.model = get_peft_model(base, config, autocast_adapter_dtype=False)
        self.model.to(device=self._device, dtype=dtype)
        self._dtype = dtype
        self._inner = self.model.base_model.model.model

    def logits(self, batch: Sequence[PackedRow]) -> torch.Tensor:
        """Logits (n_claims, 3) of the answers to all claims of a batch, in order."""
        longest = max(r.length for r in batch)
        ids = torch.zeros((len(batch), longest), dtype=torch.long)
        places = torch.zeros_like(ids)
        block = torch.full((len(batch), longest), -1)
        last: list[tuple[int, int]] = []
        for i, row in enumerate(batch):
            size = len(row.evidence)
            ids[i, :size], places[i, :size], block[i, :size] = torch.tensor(row.evidence), torch.arange(size), 0
            at = size
            for number, claim in enumerate(row.claims, 1):
                end = at + len(claim)
                ids[i, at:end], block[i, at:end] = torch.tensor(claim), number
                places[i, at:end] = torch.arange(size, size + len(claim))
                last.append((i, end - 1))
                at = end
        ids, places, block = (t.to(self._device) for t in (ids, places, block))
        hidden = self._inner(
            input_ids=ids, attention_mask=_mask(block, self._dtype), position_ids=places, use_cache=False
        ).last_hidden_state
        rows, columns = (torch.tensor(side, device=self._device) for side in zip(*last, strict=True))
        return (hidden[rows, columns] @ self._answers.T).float()

    def save(self, folder: Path) -> None:
        """Write the adapter in bf16, without the path of its base."""
        self.model.save_pretrained(str(folder), save_embedding_layers=False)
        file = folder / "adapter_config.json"
        config = json.loads(file.read_text(encoding="utf-8"))
        # peft writes where the base lay on this machine.
        config["base_model_name_or_path"] = f"{smollm2.PACKAGE}=={smollm2.VERSION}"
        file.write_text(json.dumps(config, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        (folder / "README.md").unlink(missing_ok=True)


def _mask(block: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """What each token may not see, as numbers to add: (n_rows, 1, longest, longest)."""
    longest = block.shape[1]
    before = torch.ones((longest, longest), dtype=torch.bool, device=block.device).tril()
    same = block[:, :, None] == block[:, None, :]
    seen = before & (same | (block[:, None, :] == 0))
    return torch.zeros(seen.shape, dtype=dtype, device=block.device).masked_fill(~seen, -math.inf)[:, None]


def loss(logits: torch.Tensor, answers: torch.Tensor) -> torch.Tensor:
    """Mean cross-entropy; of `NOT_YES` that of anything but yes."""
    log_shares = log_softmax(logits, dim=1)
    classes = answers.clamp(max=NO)
    plain = -log_shares.gather(1, classes[:, None])[:, 0]
    return torch.where(answers == NOT_YES, -log_shares[:, MAYBE:].logsumexp(1), plain).mean()


def train(
    adapted: Trainable, packed: Sequence[PackedRow], dev: Sequence[PackedRow], how: Training, folder: Path, every: int = 100
) -> dict[str, Any]:
    """Train the epochs that `how` names; a stopped training resumes from its last state."""
    folder.mkdir(parents=True, exist_ok=True)
    todo = batches(packed, how)
    optimiser = MasterAdamW(adapted.model.parameters(), how.rate, 0.01)
    state = _resume(folder, optimiser)
    adapted.model.train()
    began, seen, total = time.perf_counter(), 0, 0.0
    for step in range(state["step"], len(todo)):
        rate = how.rate * min((step + 1) / (0.03 * len(todo)), 1.0 - 0.9 * step / len(todo))
        for group in optimiser.param_groups:
            group["lr"] = rate
        answers = torch.tensor([a for row in todo[step] for a in row.answers], device=device())
        value = loss(adapted.logits(todo[step]), answers)
        value.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_([p for p in adapted.model.parameters() if p.requires_grad], 1.0)
        optimiser.step()
        seen, total = seen + len(answers), total + value.item() * len(answers)
        if (step + 1) % every == 0 or step + 1 == len(todo):
            dev_after, right = look(adapted, dev, how)
            took = time.perf_counter() - began
            print(
                f"step {step + 1:,} of {len(todo):,}: loss {total / seen:.4f}, {seen / took:.1f} pairs/s, "
                f"dev: AUROC {dev_after['auroc']:.3f}, three-way {right:.3f}",
                flush=True,
            )
            state["evaluations"].append([step + 1, dev_after["macro_f1"], dev_after["auroc"]])
            state |= {"step": step + 1, "seconds": state["seconds"] + took, "dev_after": dev_after}
            _keep(folder, optimiser, state)
            began, seen, total = time.perf_counter(), 0, 0.0
    adapted.save(folder)
    return {"options": asdict(how), **state, "steps": len(todo)}


def _keep(folder: Path, optimiser: MasterAdamW, state: Mapping[str, Any]) -> None:
    new = folder / f"{STATE}.new"
    torch.save({**state, "optimiser": optimiser.state_dict()}, new)
    new.replace(folder / STATE)


def _resume(folder: Path, optimiser: MasterAdamW) -> dict[str, Any]:
    if not (folder / STATE).is_file():
        return {"step": 0, "seconds": 0.0, "evaluations": []}
    state: dict[str, Any] = torch.load(folder / STATE, weights_only=True, map_location=device())
    optimiser.load_state_dict(state.pop("optimiser"))
    return state


def look(adapted: Trainable, dev: Sequence[PackedRow], how: Training) -> tuple[dict[str, float], float]:
    """Figures of the support on pairs that are not learned from, and the share of three-way labels that are right."""
    adapted.model.eval()
    log_shares, answers = [], []
    with torch.inference_mode():
        for batch in _cut(sorted(dev, key=lambda r: -r.length), how.tokens):
            log_shares.append(log_softmax(adapted.logits(batch), dim=1).cpu())
            answers += [a for row in batch for a in row.answers]
    adapted.model.train()
    logs, gold = torch.cat(log_shares), torch.tensor(answers)
    three = gold != NOT_YES
    right = float((logs.argmax(1) == gold)[three].float().mean()) if three.any() else math.nan
    return figures(logs[:, YES].exp().double().numpy(), (gold == YES).numpy()), right
