import type { Provider } from '../port.ts'
import type { EfiClient } from './client.ts'
import { randomKeys } from './shapes.ts'

/** Efí publishes no call that names the account; "Listar chaves evp" lists the random keys, which are this account's alone. */
export function identity(client: EfiClient): Pick<Provider, 'identity'> {
  return {
    identity: () =>
      client.lookUpOwn({ method: 'GET', path: '/v2/gn/evp' }, json => {
        const listed = randomKeys.safeParse(json).data
        return listed && { keys: listed.chaves }
      }),
  }
}
