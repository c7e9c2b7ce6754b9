import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** All that nobody holds is gone afterwards, what is held weakly included. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}
