import { createRequire } from 'node:module'
import { buffer } from 'node:stream/consumers'
import { toPdfText } from '../domain/shared/pdf-text.ts'

/** A line of a table: its name, then its cells, as a page shows them. */
type PdfRow = { name: string; cells: string[]; isTotal?: boolean }
/** `headings`: of the columns, the first that of the names; absent where the name of each row says what its cell is. */
type PdfTable = { title: string; headings?: string[]; rows: PdfRow[] }

/** What a document says, in the words of its language. */
export type PdfDocument = {
  /** As BCP 47 names it. */
  language: string
  look: keyof typeof LOOKS
  title: string
  /** Lines below the title: whose document it is, of which days, and what is not money. */
  lines: string[]
  tables: PdfTable[]
  /** Names a page by its number. */
  namePage(page: number, last: number): string
  /** Moment of the document: that of what it shows, so that its bytes are the same whenever it is made. */
  createdAt: Date
}

/** A table with what makes it readable by a screen reader, which the types of pdfkit lack. */
type TaggedTable = PDFKit.Mixins.TableOptionsWithData & {
  structParent: PDFKit.PDFStructureElement
  data: (string | (PDFKit.Mixins.CellOptions & { scope?: 'Column' | 'Row' }))[][]
}

/** Amounts in columns, a table per page after the first; or texts beside their names. Sizes in points. */
const LOOKS = {
  // So that 31 days, their headings and their total are on one page, below the title too.
  figures: { layout: 'landscape', textSize: 8, rowHeight: 12.5, align: 'right', isPagePerTable: true },
  facts: { layout: 'portrait', textSize: 10, rowHeight: 19, align: 'left', isPagePerTable: false },
} as const

const { resolve } = createRequire(import.meta.url)
/** Part of the file, so that every reader and printer shows the same. */
const FONTS = {
  text: resolve('@polymer/font-roboto-local/fonts/roboto/Roboto-Regular.ttf'),
  bold: resolve('@polymer/font-roboto-local/fonts/roboto/Roboto-Bold.ttf'),
}

const MARGIN = 36
/** Width of the column of names, in points; the cells share the rest. */
const NAME_WIDTH = 150
const RULE_COLOR = '#b8b8b8'
const PAGE_NUMBER_SIZE = 8

/** Renders a tagged PDF on A4. Equal documents give equal bytes. */
export async function renderPdf(content: PdfDocument): Promise<Buffer> {
  // Loaded by the first document: it takes 30 MB of memory.
  const { default: PDFDocument } = await import('pdfkit')
  const { layout, textSize, rowHeight, align, isPagePerTable } = LOOKS[content.look]
  const pdf = new PDFDocument({
    size: 'A4',
    layout,
    margin: MARGIN,
    pdfVersion: '1.7',
    lang: content.language,
    tagged: true,
    displayTitle: true,
    bufferPages: true,
    font: FONTS.text,
    info: { Title: toPdfText(content.title), CreationDate: content.createdAt },
  })
  const document = pdf.struct('Document')
  pdf.addStructure(document)
  const write = (tag: string, text: string, font: { bold?: boolean; size: number }) =>
    document.add(
      pdf.struct(tag, {}, () => {
        pdf.font(font.bold ? FONTS.bold : FONTS.text, font.size).text(toPdfText(text))
      }),
    )
  write('H1', content.title, { bold: true, size: 16 })
  pdf.moveDown(0.3)
  for (const line of content.lines) write('P', line, { size: 9 })
  for (const [index, { title, headings, rows }] of content.tables.entries()) {
    if (index > 0 && isPagePerTable) pdf.addPage()
    else pdf.moveDown()
    write('H2', title, { bold: true, size: 11 })
    pdf.moveDown(0.4).font(FONTS.text, textSize)
    const headingRows = headings ? 1 : 0
    const table: TaggedTable = {
      structParent: document,
      columnStyles: column =>
        column === 0
          ? { width: NAME_WIDTH, align: { x: 'left', y: 'center' } }
          : { width: '*', align: { x: align, y: 'center' } },
      rowStyles: row => ({
        border: [0, 0, 0.5, 0],
        borderColor: RULE_COLOR,
        padding: [0, 2],
        minHeight: rowHeight,
        ...((row < headingRows || rows[row - headingRows]?.isTotal) && {
          font: { src: FONTS.bold, size: textSize },
        }),
      }),
      data: [
        ...(headings
          ? [
              headings.map(text => ({
                text: toPdfText(text),
                type: 'TH' as const,
                scope: 'Column' as const,
              })),
            ]
          : []),
        ...rows.map(({ name, cells }) => [
          { text: toPdfText(name), type: 'TH' as const, scope: 'Row' as const },
          ...cells.map(toPdfText),
        ]),
      ],
    }
    pdf.table(table)
  }
  document.end()
  numberPages(pdf, content.namePage)
  pdf.end()
  return buffer(pdf)
}

/** Writes the number of each page at its foot, below the margin, as an artifact that a screen reader leaves out. */
function numberPages(pdf: PDFKit.PDFDocument, namePage: PdfDocument['namePage']): void {
  const { count } = pdf.bufferedPageRange()
  for (let page = 0; page < count; page++) {
    pdf.switchToPage(page)
    pdf.page.margins.bottom = 0
    pdf.markContent('Artifact', { type: 'Pagination', attached: ['Bottom'] })
    pdf
      .font(FONTS.text, PAGE_NUMBER_SIZE)
      .text(toPdfText(namePage(page + 1, count)), MARGIN, pdf.page.height - 26, {
        width: pdf.page.width - 2 * MARGIN,
        align: 'right',
        lineBreak: false,
      })
    pdf.endMarkedContent()
  }
}
