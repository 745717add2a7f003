/** Work that goes on until it is told how to end. */
export function task(): { work: () => Promise<string>; begun: () => boolean; end: (error?: Error) => void } {
  let begun = false;
  let end: (error?: Error) => void = () => undefined;
  const ended = new Promise<string>((done, failed) => {
    end = (error) => {
      if (error) failed(error);
      else done('done');
    };
  });
  return {
    work: () => {
      begun = true;
      return ended;
    },
    begun: () => begun,
    end,
  };
}

/** Lets everything go on that can. */
export const turn = (): Promise<void> => new Promise((done) => setImmediate(done));
