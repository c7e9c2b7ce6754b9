import { ANY_ANSWER } from '../adapter/answer-parsing.ts'
import { rejectForThisProvider, toCreateKeyOutcome, toDeleteKeyOutcome } from '../adapter/outcomes.ts'
import { encodePath } from '../http/client.ts'
import type { PixKeyCalls } from '../port.ts'
import type { EfiClient } from './client.ts'
import { efiKeyResponseSchema, efiRandomKeysSchema } from './schemas.ts'

/** Creates the calls about random keys, the only ones of Efí's API (Criar, Listar, Remover chave evp). */
export function createEfiPixKeys(client: EfiClient): PixKeyCalls {
  return {
    async createKey({ type }) {
      if (type !== 'RANDOM') return unsupportedKeyType
      const call = { call: 'createKey', method: 'POST', path: '/v2/gn/evp' } as const
      const request = { ...call, hasOwnConnection: true }
      const outcome = await client.send(request, efiKeyResponseSchema, ({ chave: key }) => ({ key }))
      return toCreateKeyOutcome(outcome)
    },

    async listKeys() {
      const request = { call: 'listKeys', path: '/v2/gn/evp' } as const
      return client.lookUpExisting(request, efiRandomKeysSchema, ({ chaves }) => ({
        keys: chaves.map(key => ({ key, type: 'RANDOM' as const })),
      }))
    },

    async deleteKey(key) {
      const path = encodePath`/v2/gn/evp/${key}`
      const request = { call: 'deleteKey', method: 'DELETE', path } as const
      return toDeleteKeyOutcome(await client.send(request, ANY_ANSWER, () => ({})))
    },
  }
}

const unsupportedKeyType = rejectForThisProvider(
  'key_unsupported',
  "The provider's API creates random keys only; create the others in its app",
)
