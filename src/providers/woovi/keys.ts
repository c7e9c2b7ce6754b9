import { documentKind } from '../../domain/document.ts'
import type { CreateKeyOutcome, KeyOrder } from '../../domain/provider.ts'
import { cannotHere, deletionOutcome, keyOutcome } from '../outcomes.ts'
import type { Provider } from '../port.ts'
import type { WooviClient } from './client.ts'
import { keyTypeOf } from './mapping.ts'
import { pagesOf } from './pages.ts'
import { keyAnswer, newKey, type PixKey, pixKey } from './shapes.ts'

/** The account's keys, as "Chaves Pix das contas" describes them: EVP, the account's CNPJ, e-mail and phone. */
export function keys(client: WooviClient): Pick<Provider, 'createKey' | 'listKeys' | 'deleteKey'> {
  const { everyPage } = pagesOf(client)

  return {
    async createKey(order) {
      const json = bodyOf(order)
      if (!json) return unsupported
      const call = { call: 'createKey', reference: null, method: 'POST', path: '/api/v1/pix-keys' } as const
      const outcome = await client.send({ ...call, json, fresh: true }, answer => {
        const made = keyAnswer.safeParse(answer).data
        return made && made.key === (order.key ?? made.key) ? { key: made.key } : undefined
      })
      if (outcome.kind === 'unknown' && outcome.code === 'duplicate_id') return taken(order)
      return keyOutcome(outcome)
    },
    listKeys,
    async deleteKey(key) {
      const path = `/api/v1/pix-keys/${encodeURIComponent(key)}`
      const call = { call: 'deleteKey', reference: null, method: 'DELETE', path } as const
      return deletionOutcome(await client.send(call, () => ({})))
    },
  }

  async function listKeys() {
    const listed = await everyPage<PixKey>({
      ...{ call: 'listKeys', path: '/api/v1/pix-keys' },
      ...{ field: 'pixKeys', item: pixKey, keyOf: ({ key }) => key },
    })
    if (listed.kind === 'no_answer') return listed
    return {
      kind: 'found' as const,
      keys: listed.items.map(({ key, type }) => ({ key, type: keyTypeOf(type) })),
    }
  }

  /** The key is there already: by this very order, whose answer got lost, or somebody else's. */
  async function taken({ key }: KeyOrder): Promise<CreateKeyOutcome> {
    const listed = await listKeys()
    if (listed.kind === 'no_answer') return { ...listed, kind: 'unknown' }
    const ours = listed.keys.find(one => one.key === key)
    return ours ? { kind: 'created', key: ours.key } : takenByAnother
  }
}

/** Woovi's name for each kind; it makes no CPF keys by its API. */
function bodyOf({ type, key }: KeyOrder) {
  switch (type) {
    case 'RANDOM':
      return newKey.parse({ type: 'EVP' })
    case 'DOCUMENT':
      return documentKind(key ?? '') === 'CNPJ' ? newKey.parse({ type: 'CNPJ', key }) : undefined
    case 'EMAIL':
    case 'PHONE':
      return newKey.parse({ type, key })
  }
}

const unsupported = cannotHere('key_unsupported', 'The provider makes no CPF keys by its API')
const takenByAnother = {
  kind: 'rejected',
  finality: 'final',
  code: 'key_taken',
  message: 'The key belongs to another account',
} as const
