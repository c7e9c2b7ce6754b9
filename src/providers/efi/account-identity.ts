import { parseAnswer } from '../adapter/answer-parsing.ts'
import type { Provider } from '../port.ts'
import type { EfiClient } from './client.ts'
import { efiRandomKeysSchema } from './schemas.ts'

/**
 * Creates the call that identifies the Efí account of a connection by its random keys ("Listar chaves evp"). Efí
 * publishes no call that names the account, and a random key belongs to one account only.
 */
export function createEfiAccountIdentity(client: EfiClient): Pick<Provider, 'identity'> {
  return {
    identity: () =>
      client.lookUpExisting(
        { call: 'listKeys', reference: null, method: 'GET', path: '/v2/gn/evp' },
        (json, notes) => {
          const list = parseAnswer(efiRandomKeysSchema, json, notes)
          return list && { keys: list.chaves }
        },
      ),
  }
}
