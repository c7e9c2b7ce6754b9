import pino, { type Logger } from 'pino'
import { redactError } from '../db/redact-error.ts'
import { StartupRefusal } from '../domain/errors/startup-refusal.ts'

/**
 * Starts a process: reads its settings and opens its log. From here on every line it writes is JSON. A
 * `StartupRefusal` is one line of level fatal without a stack, an unhandled error is one with its stack, and either
 * ends the process with exit code 1; Node's warnings are lines of level warn.
 */
export function startProcess<T extends { logLevel: string }>(
  name: string,
  readSettings: () => T,
): { config: T; log: Logger } {
  const base = { process: name }
  // Written at every TRILHO_LOG_LEVEL: a process that ends must say why.
  const lastLog = pino({ level: 'fatal', base })
  process.on('uncaughtException', error => endProcess(lastLog, error))
  try {
    const config = readSettings()
    const log = pino({ level: config.logLevel, base })
    process.removeAllListeners('warning') // Node's own listener, which prints plain text.
    process.on('warning', ({ name: type, message }) => log.warn({ type }, message))
    return { config, log }
  } catch (error) {
    return endProcess(lastLog, error)
  }
}

function endProcess(log: Logger, error: unknown): never {
  if (error instanceof StartupRefusal) log.fatal(error.message)
  else log.fatal({ error: redactError(error) }, 'unhandled error: the process exits')
  process.exit(1)
}
