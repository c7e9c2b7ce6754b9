import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type Sealer, sha256 } from '../sealing.ts'

/** How long a device is remembered after its last sign-in. */
export const DEVICE_MS = 180 * 24 * 60 * 60 * 1_000

/** E-mails that one device is remembered for: the people who share it. */
const MOST_EMAILS = 5

const deviceShape = z.object({
  kind: z.literal('dashboard-device'),
  device: z.uuid(),
  /** SHA-256 of each e-mail that has signed in, the latest first. */
  emails: z.array(z.string()).max(MOST_EMAILS),
  endsAtMs: z.number(),
})

/** A browser that holds a cookie of an earlier sign-in. The cookie opens nothing by itself. */
export type Device = z.infer<typeof deviceShape>

/**
 * Reads the cookie of a device; null where it is absent, expired, forged or sealed by a key that is not known any more.
 * After OWASP, "Slow Down Online Guessing Attacks with Device Cookies".
 */
export function readDevice(cookie: string | undefined, sealer: Sealer): Device | null {
  if (!cookie) return null
  try {
    const device = deviceShape.parse(sealer.open(cookie))
    return device.endsAtMs > Date.now() ? device : null
  } catch {
    return null
  }
}

/** The cookie of a device after an e-mail has signed in on it, with the e-mails that did before. */
export function writeDevice(device: Device | null, email: string, sealer: Sealer): string {
  const own = emailHash(email)
  const others = (device?.emails ?? []).filter(hash => hash !== own)
  return sealer.seal({
    kind: 'dashboard-device',
    device: device?.device ?? randomUUID(),
    emails: [own, ...others].slice(0, MOST_EMAILS),
    endsAtMs: Date.now() + DEVICE_MS,
  } satisfies Device)
}

/** Whether this e-mail has signed in on the device before. */
export function isKnownFor(device: Device | null, email: string): device is Device {
  return device?.emails.includes(emailHash(email)) ?? false
}

function emailHash(email: string): string {
  return sha256(`device ${email}`).toString('base64url')
}
