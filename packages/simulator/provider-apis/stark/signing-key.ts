import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import type { SimulatorStore } from '../../store.ts'

/** Stark's own key, which signs events: ECDSA on secp256k1. */
export type StarkSigningKey = {
  /** SPKI, PEM. */
  publicKeyPem: string
  /** ISO 8601 UTC. */
  createdAt: string
  /** Signs a text: SHA-256, DER, base64. */
  sign(text: string): string
}

type StoredKey = { privateKeyPem: string; createdAt: string }
type KeyDependencies = { store: SimulatorStore; now: () => Date }

/** Opens the stored key, or creates it; it is stored because a scheduled notification may outlive the process. */
export function openStarkSigningKey({ store, now }: KeyDependencies): StarkSigningKey {
  const stored =
    store.first<StoredKey>('SELECT * FROM starkSigningKey') ?? createKey(store, now().toISOString())
  const privateKey = createPrivateKey(stored.privateKeyPem)
  return {
    publicKeyPem: createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString(),
    createdAt: stored.createdAt,
    sign: text => sign('sha256', Buffer.from(text), privateKey).toString('base64'),
  }
}

function createKey(store: SimulatorStore, createdAt: string): StoredKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
  const stored = { privateKeyPem: privateKey.export({ type: 'sec1', format: 'pem' }).toString(), createdAt }
  store.insert('starkSigningKey', stored)
  return stored
}
