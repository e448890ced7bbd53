/** Keeps what `make` gave for as many keys as `max`; past it, it starts anew. */
export function remembered<Key, Made>(max: number, make: (key: Key) => Made): (key: Key) => Made {
  const known = new Map<Key, Made>();
  return (key) => {
    let made = known.get(key);
    if (made === undefined) {
      made = make(key);
      if (known.size >= max) known.clear();
      known.set(key, made);
    }
    return made;
  };
}
