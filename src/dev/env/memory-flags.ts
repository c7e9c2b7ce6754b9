import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * What keeps an API or a worker small, as the image sets it too (Dockerfile). V8 takes its limits from the machine and
 * glibc keeps what is freed once it had to grow: left to themselves, the two take twice as much after 1,000 charges. One
 * thread beside the program's own is enough to collect its garbage: four wait for each other where processors are few. Types
 * are taken off ahead (src/untyped.mjs). `root` is the folder of the project.
 */
export function buildMemoryFlags(root: string) {
  const untyped = pathToFileURL(join(root, 'src/untyped.mjs')).href
  return {
    NODE_OPTIONS: `--max-old-space-size=320 --max-semi-space-size=8 --v8-pool-size=1 --import ${untyped}`,
    MALLOC_ARENA_MAX: '2',
    MALLOC_TRIM_THRESHOLD_: '131072',
  }
}

/** An environment for an API or a worker; what it says of its own wins. */
export function withMemoryFlags(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const thrift = buildMemoryFlags(join(import.meta.dirname, '../../..'))
  const options = [thrift.NODE_OPTIONS, environment.NODE_OPTIONS ?? ''].join(' ').trim()
  return { ...thrift, ...environment, NODE_OPTIONS: options }
}
