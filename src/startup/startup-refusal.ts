/**
 * A setting or a server that a process must not start with and that does not become right by waiting. The message is one
 * sentence for the operator: it names the variable and what to do, and quotes no secret. src/startup/process.ts logs it.
 */
export class StartupRefusal extends Error {
  override name = 'StartupRefusal'
}
