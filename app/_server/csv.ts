import { ConsoleError } from "./console-error.ts";

/** What a cell may hold; an absent value is an empty cell, an instant is ISO text. */
export type CsvCell = string | number | bigint | boolean | Date | null | undefined;

export interface CsvFile {
  /** The name under which a browser stores it: `tasks.csv`. */
  readonly name: string;
  readonly header: readonly string[];
  /** Asked for as the reader takes them. Read a page of rows at a time: no connection may be held between two rows. */
  readonly rows: AsyncIterable<readonly CsvCell[]>;
  /** Default 100,000. A further row is not sent; a last line then says so. */
  readonly rowsMax?: number;
}

export const CSV_ROWS_MAX = 100_000;

const CHUNK_CHARACTERS = 64 * 1024;
/** A reader that stands still gives the one place for an export free after this time. */
const EXPORT_MS_MAX = 600_000;

/** What spreadsheets take for the start of a formula, the full-width forms too. */
const FORMULA_START = /^[=+\-@\t\r\n＝＋－＠]/;
const NEEDS_QUOTES = /[",;\t\r\n]|^\s|\s$/;

/** A cell as text that no spreadsheet runs: what would begin a formula gets a quote before it. */
export function csvCell(value: CsvCell): string {
  if (value === null || value === undefined) return "";
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== "string") return String(value);
  const safe = FORMULA_START.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

let isExporting = false;

/**
 * The rows as a file in UTF-8 with a byte order mark, sent as fast as it is read and never held as a whole. One export
 * runs at a time in a process. The first rows are read before it answers, so that a query that fails is an ordinary
 * problem; if a later one fails, the transfer breaks off and is no whole file.
 * @throws ConsoleError export_busy while another export runs.
 */
export async function csvResponse(file: CsvFile): Promise<Response> {
  if (isExporting) throw new ConsoleError("export_busy", "another export is running; try again when it has ended");
  isExporting = true;
  const chunks = chunksOf(file);
  const end = () => {
    clearTimeout(timer);
    isExporting = false;
  };
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  const timer = setTimeout(() => {
    stream?.error(new Error("the export took too long"));
    void chunks.return(undefined).then(end, end);
  }, EXPORT_MS_MAX).unref();
  let first: IteratorResult<Uint8Array> | undefined;
  try {
    first = await chunks.next();
  } catch (error) {
    end();
    throw error;
  }
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        stream = controller;
      },
      async pull(controller) {
        try {
          const { done, value } = first ?? (await chunks.next());
          first = undefined;
          if (value) controller.enqueue(value);
          if (done) {
            end();
            controller.close();
          }
        } catch (error) {
          end();
          controller.error(error);
        }
      },
      async cancel() {
        try {
          await chunks.return(undefined);
        } finally {
          end();
        }
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, {
    headers: {
      "Content-Type": "text/csv; charset=utf-8; header=present",
      "Content-Disposition": `attachment; filename="${file.name.replaceAll(/[^\w.-]/g, "_")}"`,
    },
  });
}

async function* chunksOf({ header, rows, rowsMax = CSV_ROWS_MAX }: CsvFile): AsyncGenerator<Uint8Array, undefined> {
  const encoder = new TextEncoder();
  let text = `\ufeff${csvLine(header)}`;
  let count = 0;
  for await (const row of rows) {
    if (count === rowsMax) {
      text += csvLine([`… ends here after ${rowsMax} rows; there are more`]);
      break;
    }
    count++;
    text += csvLine(row);
    if (text.length < CHUNK_CHARACTERS) continue;
    yield encoder.encode(text);
    text = "";
  }
  if (text !== "") yield encoder.encode(text);
  return undefined;
}
