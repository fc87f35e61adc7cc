"""Statistics: an observer of steps, outside the loop and outside its clock."""

from dataclasses import dataclass, field

from dejavuu_core.contract import Step

__all__ = ["Stats"]


@dataclass(slots=True)
class Stats:
    """Counts and times of one generation; feed it every step.

    Rates are of decoding alone: the prefill stands in ``prefill_s``.
    """

    source_names: tuple[str, ...] = ()
    """What ``Draft.sources`` points into."""
    steps: int = 0
    """Decoding forwards."""
    new_tokens: int = 0
    drafted: int = 0
    """Rows drafted."""
    accepted: int = 0
    """Emitted tokens that had been drafted."""
    prefill_s: float = 0.0
    draft_s: float = 0.0
    verify_s: float = 0.0
    accept_s: float = 0.0
    commit_s: float = 0.0
    learn_s: float = 0.0
    sources: dict[str, int] = field(default_factory=dict)
    """Accepted tokens per source."""

    def add(self, step: Step) -> None:
        """Count one step."""
        seconds = step.seconds
        if step.prefill:
            self.prefill_s += seconds.verify
            self.learn_s += seconds.learn
            return
        self.steps += 1
        self.new_tokens += len(step.emitted)
        self.drafted += len(step.draft)
        self.accepted += len(step.accepted)
        self.draft_s += seconds.draft
        self.verify_s += seconds.verify
        self.accept_s += seconds.accept
        self.commit_s += seconds.commit
        self.learn_s += seconds.learn
        if not len(step.accepted):
            return
        for source in step.draft.sources[step.accepted - 1].tolist():
            name = self.source_names[source]
            self.sources[name] = self.sources.get(name, 0) + 1

    @property
    def decode_s(self) -> float:
        """Seconds of decoding, all phases."""
        return self.draft_s + self.verify_s + self.accept_s + self.commit_s + self.learn_s

    @property
    def mat(self) -> float:
        """Mean accepted tokens: tokens emitted a step, bonus included; plain decoding: 1.0."""
        return self.new_tokens / self.steps if self.steps else 0.0

    @property
    def acceptance_rate(self) -> float:
        """Accepted rows over drafted rows, 0 where nothing was drafted."""
        return self.accepted / self.drafted if self.drafted else 0.0

    @property
    def tokens_per_s(self) -> float:
        """New tokens a second of decoding."""
        return self.new_tokens / self.decode_s if self.decode_s else 0.0

    def to_dict(self) -> dict[str, object]:
        """Give the counts and rates for JSON."""
        names = (
            "steps new_tokens drafted accepted mat acceptance_rate prefill_s decode_s draft_s "
            "verify_s accept_s commit_s learn_s tokens_per_s sources"
        )
        return {name: getattr(self, name) for name in names.split()}
