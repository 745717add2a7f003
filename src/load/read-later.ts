/**
 * Reads something for all who ask for it at once, and never what was there before they asked: who comes while a reading
 * is under way shares the next one, which begins when that has ended.
 */
export function readLater<Value>(read: (id: string) => Promise<Value>): (id: string) => Promise<Value> {
  const underWay = new Map<string, Promise<unknown>>();
  const toCome = new Map<string, Promise<Value>>();

  async function readNext(id: string): Promise<Value> {
    await underWay.get(id);
    toCome.delete(id);
    const reading = read(id);
    // Whether it failed is the business of those who wait for it.
    const ended = reading
      .then(
        () => undefined,
        () => undefined,
      )
      .then(() => {
        if (underWay.get(id) === ended) underWay.delete(id);
      });
    underWay.set(id, ended);
    return reading;
  }

  return (id) => {
    const waiting = toCome.get(id);
    if (waiting) return waiting;
    const next = readNext(id);
    toCome.set(id, next);
    return next;
  };
}
