import type { Provider } from '../port.ts'
import type { EfiClient, EfiCredentials } from './client.ts'
import { saldo } from './shapes.ts'

/** The account itself: its balance and where its notices go. */
export function account(
  client: EfiClient,
  { notice_secret }: EfiCredentials,
): Pick<Provider, 'balances' | 'registerNotices'> {
  return {
    async balances() {
      return client.lookUpOwn({ method: 'GET', path: '/v2/gn/saldo?bloqueios=true' }, json => {
        const read = saldo.safeParse(json).data
        return read && { balance: { availableCents: read.saldo, blockedCents: read.bloqueios?.total ?? 0 } }
      })
    },

    /** Efí appends `/pix` to the URL. Its client certificate is checked by the proxy or not at all; our secret always is. */
    async registerNotices(url, collectionKey) {
      if (collectionKey === null) return keyMissing
      const outcome = await client.lookUpOwn(
        {
          method: 'PUT',
          path: `/v2/webhook/${encodeURIComponent(collectionKey)}`,
          headers: { 'x-skip-mtls-checking': 'true' },
          json: { webhookUrl: `${url}/${encodeURIComponent(notice_secret)}` },
        },
        () => ({}),
      )
      return outcome.kind === 'found' ? { kind: 'registered' } : outcome
    },
  }
}

const keyMissing = {
  kind: 'no_answer',
  code: 'collection_key_missing',
  message: 'Efí sends notices per key, and this connection has none',
} as const
