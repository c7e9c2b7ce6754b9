import { parseAnswer } from '../adapter/answer-parsing.ts'
import type { Provider } from '../port.ts'
import type { EfiClient } from './client.ts'
import { efiRandomKeysSchema } from './schemas.ts'

/** Efí publishes no call that names the account; "Listar chaves evp" lists the random keys, which are this account's alone. */
export function createEfiAccountIdentity(client: EfiClient): Pick<Provider, 'identity'> {
  return {
    identity: () =>
      client.lookUpExisting(
        { call: 'listKeys', reference: null, method: 'GET', path: '/v2/gn/evp' },
        (json, notes) => {
          const listed = parseAnswer(efiRandomKeysSchema, json, notes)
          return listed && { keys: listed.chaves }
        },
      ),
  }
}
