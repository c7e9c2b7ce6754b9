import type { Provider } from '../port.ts'
import { readShape } from '../reading.ts'
import type { EfiClient } from './client.ts'
import { randomKeys } from './shapes.ts'

/** Efí publishes no call that names the account; "Listar chaves evp" lists the random keys, which are this account's alone. */
export function identity(client: EfiClient): Pick<Provider, 'identity'> {
  return {
    identity: () =>
      client.lookUpOwn(
        { call: 'listKeys', reference: null, method: 'GET', path: '/v2/gn/evp' },
        (json, notes) => {
          const listed = readShape(randomKeys, json, notes)
          return listed && { keys: listed.chaves }
        },
      ),
  }
}
