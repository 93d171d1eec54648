import { type NextRequest, NextResponse } from "next/server";

const isDevelopment = process.env.NODE_ENV === "development";

/** Only scripts that carry the nonce of this answer run; the development server also needs eval and inline styles. */
function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${isDevelopment ? " 'unsafe-eval'" : ""}`,
    `style-src 'self' ${isDevelopment ? "'unsafe-inline'" : `'nonce-${nonce}'`}`,
    // Charts and floating elements place themselves with style attributes, which can run no script.
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function isPublicOverTls(): boolean {
  return process.env["REDRIVE_CONSOLE_ORIGIN"]?.startsWith("https:") ?? false;
}

/**
 * Gives every page a content security policy with a fresh nonce, which the framework reads from the request and puts on
 * its own scripts, and tells the page its path. It grants nothing: who may read or act is checked in the route handlers
 * and in the pages.
 */
export function proxy(request: NextRequest): NextResponse {
  const policy = contentSecurityPolicy(Buffer.from(crypto.randomUUID()).toString("base64"));
  const headers = new Headers(request.headers);
  headers.set("Content-Security-Policy", policy);
  headers.set("x-redrive-path", `${request.nextUrl.pathname}${request.nextUrl.search}`);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set("Content-Security-Policy", policy);
  if (isPublicOverTls()) response.headers.set("Strict-Transport-Security", "max-age=31536000");
  return response;
}

// The first entry is the root below a base path, which the second does not match.
export const config = { matcher: ["/", "/((?!api/|_next/static|_next/image|icon.svg).*)"] };
