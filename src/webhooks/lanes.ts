/** How many may be inside one lane at once, and how long the next one waits for a place. */
export type LaneLimits = { width: number; patienceMs: number }

type Lane = { inside: number; waiting: Set<() => void> }

/**
 * A lane of its own for every endpoint: a slow one fills its lane and nothing else, though it may share its host
 * with a hundred others. `enter` answers the way out, or nothing where no place came free in time.
 */
export function lanes({ width, patienceMs }: LaneLimits) {
  const open = new Map<string, Lane>()

  return {
    async enter(name: string): Promise<(() => void) | undefined> {
      const lane = open.get(name) ?? { inside: 0, waiting: new Set() }
      open.set(name, lane)
      if (lane.inside < width) lane.inside += 1
      else if (!(await turn(lane, patienceMs))) return undefined
      return () => leave(name, lane)
    },
  }

  /** Hands the place on where somebody waits, so that nobody slips in between. */
  function leave(name: string, lane: Lane): void {
    const [next] = lane.waiting
    if (next) next()
    else lane.inside -= 1
    if (lane.inside === 0) open.delete(name)
  }
}

/** Waits in line; true when a place was handed over. */
function turn(lane: Lane, patienceMs: number): Promise<boolean> {
  return new Promise(done => {
    const called = () => settle(true)
    const timer = setTimeout(() => settle(false), patienceMs)
    const settle = (got: boolean) => {
      clearTimeout(timer)
      lane.waiting.delete(called)
      done(got)
    }
    lane.waiting.add(called)
  })
}
