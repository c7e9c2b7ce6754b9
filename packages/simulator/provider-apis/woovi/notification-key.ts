import { createPrivateKey, createPublicKey, createSign, generateKeyPairSync } from 'node:crypto'
import type { SimulatorStore } from '../../store.ts'

/** Signs notifications with RSA-SHA256, as Woovi does; Woovi publishes the public key. */
export type WooviNotificationKey = {
  /** SPKI, PEM. */
  publicKeyPem: string
  /** Signs a body; base64. */
  sign(body: string): string
}

/** Opens the stored key, or creates it; it is stored because a scheduled notification may outlive the process. */
export function openWooviNotificationKey(store: SimulatorStore): WooviNotificationKey {
  const privateKeyPem = findStoredPem(store) ?? createPem(store)
  const privateKey = createPrivateKey(privateKeyPem)
  return {
    publicKeyPem: createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString(),
    sign: body => createSign('sha256').update(body).sign(privateKey, 'base64'),
  }
}

function findStoredPem(store: SimulatorStore): string | undefined {
  return store.first<{ privateKeyPem: string }>('SELECT privateKeyPem FROM wooviNotificationKey')
    ?.privateKeyPem
}

function createPem(store: SimulatorStore): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const privateKeyPem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  store.insert('wooviNotificationKey', { privateKeyPem })
  return privateKeyPem
}
