import { join } from 'node:path'

/**
 * Flags that limit the memory of an API or a worker; the image sets them too (Dockerfile). V8 derives its limits from the
 * machine, and glibc keeps freed memory: without the flags both use twice as much after 1,000 charges. One additional
 * thread is enough for garbage collection: four wait for each other where processors are few.
 */
export const MEMORY_FLAGS = {
  NODE_OPTIONS: '--max-old-space-size=320 --max-semi-space-size=8 --v8-pool-size=1',
  MALLOC_ARENA_MAX: '2',
  MALLOC_TRIM_THRESHOLD_: '131072',
}

/** Holds sources without their types: the compiler that removes them would take 20 MB of a process that runs from `src`. */
const NODE_COMPILE_CACHE = join(import.meta.dirname, '../../../node_modules/.cache/node')

/** Adds the memory flags to the environment of an API or a worker; its own variables take precedence. */
export function withMemoryFlags(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const options = [MEMORY_FLAGS.NODE_OPTIONS, environment.NODE_OPTIONS ?? ''].join(' ').trim()
  return { NODE_COMPILE_CACHE, ...MEMORY_FLAGS, ...environment, NODE_OPTIONS: options }
}
