import { z } from 'zod'
import { StartupRefusal } from '../domain/errors/startup-refusal.ts'

/** What the configurations of all processes share. */

export const port = z.coerce.number().int().min(0).max(65_535)
export const logLevel = z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info')

/** Removes empty variables: an empty line in `.env` means absent. */
export function dropEmptyVariables(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  )
}

/** Parses an environment; throws `StartupRefusal`, which names every variable that is missing or not valid. */
export function parseEnvironment<T extends z.ZodType>(shape: T, environment: NodeJS.ProcessEnv): z.infer<T> {
  const variables = dropEmptyVariables(environment)
  const result = shape.safeParse(variables)
  if (result.success) return result.data
  const faults = result.error.issues.map(({ path, code, message }) => {
    const isMissing = code === 'invalid_type' && variables[String(path[0])] === undefined
    return `${path.join('.')} ${isMissing ? 'is missing' : `is not valid: ${message}`}`
  })
  throw new StartupRefusal(
    `The environment is not valid: ${faults.join('; ')}. Set it as docs/production.md describes under "Variables"`,
  )
}
