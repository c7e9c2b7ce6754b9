/**
 * Error of a setting or a server that a process must not start with and that waiting does not fix. The message is one
 * sentence for the operator: it names the variable and what to do, and quotes no secret. src/startup/process.ts logs
 * it.
 */
export class StartupRefusal extends Error {
  override name = 'StartupRefusal'
}
