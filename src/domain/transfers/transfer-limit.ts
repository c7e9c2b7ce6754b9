/** The most that one transfer through a connection may send, in centavos; null or absent where no limit is known. */
type TransferLimit = { maxTransferCents?: number | null | undefined }

/**
 * Tells whether a transfer may be sent through a connection. An institution that is not authorised and connected through a PSTI
 * sends at most R$ 15,000 by one PIX (Res. BCB 494 to 498/2025, as texts about them say): the operator sets that as the limit of the
 * connection. A transfer above it goes through another one, and is never split.
 */
export function isWithinTransferLimit({ maxTransferCents }: TransferLimit, valueCents: number): boolean {
  return maxTransferCents == null || valueCents <= maxTransferCents
}
