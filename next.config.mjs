import createNextIntlPlugin from "next-intl/plugin";

/** Sent with every answer. The content security policy is set where the answer is known: see proxy.ts. */
const securityHeaders = [
  { key: "X-Content-Type-Options", value: "nosniff" },
  { key: "Referrer-Policy", value: "same-origin" },
  { key: "X-Frame-Options", value: "DENY" },
  { key: "Cross-Origin-Opener-Policy", value: "same-origin" },
  { key: "Cross-Origin-Resource-Policy", value: "same-origin" },
  { key: "Permissions-Policy", value: "camera=(), geolocation=(), microphone=(), payment=(), usb=()" },
];

const basePath = process.env.REDRIVE_BASE_PATH || "";

/** @type {import("next").NextConfig} */
const config = {
  serverExternalPackages: ["mysql2"],
  poweredByHeader: false,
  // A second build, such as that below a base path, stands beside the first one.
  distDir: process.env.REDRIVE_BUILD_FOLDER || ".next",
  // `npm run typecheck` covers all folders; the build of the console must not depend on those it does not contain.
  typescript: { ignoreBuildErrors: true, tsconfigPath: process.env.REDRIVE_BUILD_TSCONFIG || "tsconfig.json" },
  basePath,
  env: { REDRIVE_BASE_PATH: basePath },
  headers: async () => [{ source: "/:path*", headers: securityHeaders }],
};

export default createNextIntlPlugin("./app/_i18n/request.ts")(config);
