// What a step changed of topics, as far as it is still to be told: in its order, a turn's worth at a time.

type Telling<Topic> = {
  readonly topic: Topic;
  /** Tell a part each, and give how much of a turn it took. */
  readonly parts: Iterator<number, void>;
};

export class Untold<Topic> {
  readonly #perTurn: number;
  readonly #failed: (topic: Topic, error: unknown) => void;
  readonly #tellings = new Set<Telling<Topic>>();

  /** `failed`: the rest of what was being told of the topic is given up, and holds up no other. */
  constructor(perTurn: number, failed: (topic: Topic, error: unknown) => void) {
    this.#perTurn = perTurn;
    this.#failed = failed;
  }

  add(topic: Topic, begin: () => Telling<Topic>["parts"]): void {
    try {
      this.#tellings.add({ topic, parts: begin() });
    } catch (error) {
      this.#failed(topic, error);
    }
  }

  has(topic: Topic): boolean {
    return [...this.#tellings].some((telling) => telling.topic === topic);
  }

  delete(topic: Topic): void {
    for (const telling of this.#tellings) {
      if (telling.topic === topic) this.#tellings.delete(telling);
    }
  }

  /** Tells what one turn has time for. False where all is told. */
  tellOn(): boolean {
    let left = this.#perTurn;
    for (const telling of this.#tellings) {
      left = this.#tell(telling, left);
      if (left <= 0) break;
    }
    return this.#tellings.size > 0;
  }

  /** Tells the rest of a topic, however much that is: before its snapshot. Others wait for their turns. */
  tellTopic(topic: Topic): void {
    for (const telling of this.#tellings) {
      if (telling.topic === topic) this.#tell(telling, Number.POSITIVE_INFINITY);
    }
  }

  /** Returns what is left of the turn. */
  #tell(telling: Telling<Topic>, most: number): number {
    let left = most;
    try {
      while (left > 0) {
        const { done, value } = telling.parts.next();
        if (done === true) {
          this.#tellings.delete(telling);
          break;
        }
        left -= value;
      }
    } catch (error) {
      this.#tellings.delete(telling);
      this.#failed(telling.topic, error);
    }
    return left;
  }
}
