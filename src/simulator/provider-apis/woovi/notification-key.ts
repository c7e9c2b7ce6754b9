import { createPrivateKey, createPublicKey, createSign, generateKeyPairSync } from 'node:crypto'
import type { SimulatorStore } from '../../store.ts'

/** Signs notifications with RSA-SHA256, as Woovi does with a key of its own whose public half it publishes. */
export type WooviNotificationKey = {
  /** SPKI, PEM. */
  publicKeyPem: string
  /** Returns the signature of a body, base64. */
  sign(body: string): string
}

/** Returns the simulator's key, made when it is first needed and stored: a notification in the queue may outlive the process. */
export function openWooviNotificationKey(store: SimulatorStore): WooviNotificationKey {
  const privateKeyPem = findStoredPem(store) ?? createPem(store)
  const privateKey = createPrivateKey(privateKeyPem)
  return {
    publicKeyPem: createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString(),
    sign: body => createSign('sha256').update(body).sign(privateKey, 'base64'),
  }
}

function findStoredPem(store: SimulatorStore): string | undefined {
  return store.first<{ privateKeyPem: string }>('SELECT privateKeyPem FROM wooviNoticeKey')?.privateKeyPem
}

function createPem(store: SimulatorStore): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const privateKeyPem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  store.insert('wooviNoticeKey', { privateKeyPem })
  return privateKeyPem
}
