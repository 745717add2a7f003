import { Presets, SingleBar } from 'cli-progress';

export interface Progress {
  update(done: number): void;
  end(): void;
}

/** A progress bar on a terminal; otherwise one line at the end. `total` grows if more is done. */
export function startProgress(
  stream: NodeJS.WritableStream & { isTTY?: boolean },
  label: string,
  total: number,
): Progress {
  const startedAt = performance.now();
  let latest = 0;
  const bar = stream.isTTY
    ? new SingleBar(
        {
          format: `${label} {bar} {value}/{total}, {eta_formatted} left`,
          stream,
          clearOnComplete: false,
          hideCursor: true,
        },
        Presets.shades_classic,
      )
    : undefined;
  bar?.start(total, 0);
  return {
    update(done) {
      latest = done;
      if (done > total) {
        total = done;
        bar?.setTotal(total);
      }
      bar?.update(done);
    },
    end() {
      bar?.stop();
      if (!bar)
        stream.write(`${label} ${latest}/${total} in ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
    },
  };
}
