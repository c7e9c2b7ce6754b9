const ANY_ADDRESS_HOSTS = ['0.0.0.0', '::']

/**
 * An environment for the API and the simulator of a start, which asks both at 127.0.0.1: some shells export HOST as the
 * machine's own name, where it would not find them.
 */
export function withReachableBindHost({ HOST, ...environment }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (HOST === undefined) return environment
  return { ...environment, HOST: ANY_ADDRESS_HOSTS.includes(HOST) ? HOST : '127.0.0.1' }
}
