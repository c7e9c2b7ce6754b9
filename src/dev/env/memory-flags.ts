import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Flags that limit the memory of an API or a worker; the image sets them too (Dockerfile). V8 derives its limits from the
 * machine, and glibc keeps freed memory: without the flags both use twice as much after 1,000 charges. One additional
 * thread is enough for garbage collection: four wait for each other where processors are few. Types are stripped
 * by src/untyped.mjs. `root` is the folder of the project.
 */
export function buildMemoryFlags(root: string) {
  const untyped = pathToFileURL(join(root, 'src/untyped.mjs')).href
  return {
    NODE_OPTIONS: `--max-old-space-size=320 --max-semi-space-size=8 --v8-pool-size=1 --import ${untyped}`,
    MALLOC_ARENA_MAX: '2',
    MALLOC_TRIM_THRESHOLD_: '131072',
  }
}

/** Adds the memory flags to the environment of an API or a worker; its own variables take precedence. */
export function withMemoryFlags(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const flags = buildMemoryFlags(join(import.meta.dirname, '../../..'))
  const options = [flags.NODE_OPTIONS, environment.NODE_OPTIONS ?? ''].join(' ').trim()
  return { ...flags, ...environment, NODE_OPTIONS: options }
}
