import { cannotHere, deletionOutcome, keyOutcome } from '../outcomes.ts'
import type { Provider } from '../port.ts'
import type { EfiClient } from './client.ts'
import { newKey, randomKeys } from './shapes.ts'

/** Random keys: Efí's API makes, lists and removes no others ("Endpoints exclusivos Efí": Criar, Listar, Remover chave evp). */
export function keys(client: EfiClient): Pick<Provider, 'createKey' | 'listKeys' | 'deleteKey'> {
  return {
    async createKey({ type }) {
      if (type !== 'RANDOM') return unsupported
      const request = { method: 'POST', path: '/v2/gn/evp', fresh: true } as const
      return keyOutcome(
        await client.send(request, json => {
          const made = newKey.safeParse(json).data
          return made && { key: made.chave }
        }),
      )
    },

    async listKeys() {
      return client.lookUpOwn({ method: 'GET', path: '/v2/gn/evp' }, json => {
        const listed = randomKeys.safeParse(json).data
        return listed && { keys: listed.chaves.map(key => ({ key, type: 'RANDOM' as const })) }
      })
    },

    async deleteKey(key) {
      const request = { method: 'DELETE', path: `/v2/gn/evp/${encodeURIComponent(key)}` } as const
      return deletionOutcome(await client.send(request, () => ({})))
    },
  }
}

const unsupported = cannotHere(
  'key_unsupported',
  'The provider makes random keys only; others are made in its app',
)
