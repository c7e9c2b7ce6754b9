import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Frees all unreferenced objects, those referenced weakly included. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}
