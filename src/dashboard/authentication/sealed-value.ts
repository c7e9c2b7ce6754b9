import type { z } from 'zod'
import type { Sealer } from '../../security/sealing.ts'

/** Opens what a browser keeps sealed; null where it is absent, forged, sealed by an unknown key, of another kind or too old. */
export function openSealedValue<S extends z.ZodType<{ endsAtMs: number }>>(
  sealer: Sealer,
  schema: S,
  sealed: string | null | undefined,
): z.output<S> | null {
  try {
    const value = schema.parse(sealer.open(sealed ?? ''))
    return value.endsAtMs > Date.now() ? value : null
  } catch {
    return null
  }
}
