import type { SimulatedAccount } from '../../accounts.ts'
import { textFromCents } from '../../amount.ts'
import type { SimulatedCharge } from '../../charges.ts'
import type { DueParts } from '../../due-charges.ts'
import type { Receipt } from '../../receipts.ts'
import type { BacenDueTerms } from './due-schemas.ts'
import { presentBacenCharge } from './presenters.ts'

// Presenters of charges with a due date (pix-api 2.9.0: CobVGerada, CobVCompleta).

export function presentBacenDueCharge(account: SimulatedAccount, charge: SimulatedCharge) {
  const { calendario, ...value } = JSON.parse(charge.due!) as BacenDueTerms
  const { valor, ...shown } = presentBacenCharge(charge)
  const members = Object.entries(value).map(([member, content]) => [member, presentMember(content)])
  return {
    ...shown,
    calendario: { criacao: charge.createdAt, ...calendario },
    recebedor: presentBacenReceiver(account),
    valor: { ...(valor as object), ...Object.fromEntries(members) },
  }
}

type Member = {
  modalidade: number
  valorPerc?: number | undefined
  descontoDataFixa?: { data: string; valorPerc: number }[] | undefined
}

function presentMember({ modalidade, valorPerc, descontoDataFixa }: Member) {
  return {
    modalidade,
    ...(valorPerc === undefined ? {} : { valorPerc: textFromCents(valorPerc) }),
    ...(descontoDataFixa === undefined
      ? {}
      : {
          descontoDataFixa: descontoDataFixa.map(step => ({
            ...step,
            valorPerc: textFromCents(step.valorPerc),
          })),
        }),
  }
}

/** Presents the holder of an account as the receiver of a charge; every account has the same street. */
export function presentBacenReceiver({ holderName, holderDocument, city }: SimulatedAccount) {
  return {
    ...(holderDocument.length === 11 ? { cpf: holderDocument } : { cnpj: holderDocument }),
    nome: holderName,
    logradouro: 'Rua Direita, 100, Centro',
    cidade: city,
    uf: 'SP',
    cep: '01002000',
  }
}

/** Presents what a received PIX consists of (pix-api, Pix.componentesValor); nothing where it paid no charge with a due date. */
export function presentBacenComponents({ parts }: Receipt) {
  if (parts === null) return {}
  const { originalCents, fineCents, interestCents, discountCents, abatementCents } = JSON.parse(
    parts,
  ) as DueParts
  const present = (name: string, cents: number) =>
    cents === 0 ? {} : { [name]: { valor: textFromCents(cents) } }
  return {
    componentesValor: {
      original: { valor: textFromCents(originalCents) },
      ...present('multa', fineCents),
      ...present('juros', interestCents),
      ...present('desconto', discountCents),
      ...present('abatimento', abatementCents),
    },
  }
}
