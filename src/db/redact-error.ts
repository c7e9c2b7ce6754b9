import { DriverException } from '@mikro-orm/core'

/** Describes an error for a log: where it happened. Of a database error without the parts that quote rows. */
export function redactError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { thrown: typeof error }
  if (!(error instanceof DriverException)) return { type: error.name, stack: error.stack }
  const { code, constraint, table, routine } = error as DriverException & Record<string, unknown>
  const frames = (error.stack ?? '').split('\n').filter(line => /^\s+at /.test(line))
  return { type: error.name, code, constraint, table, routine, stack: frames.join('\n') }
}
