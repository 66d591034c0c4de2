# syntax=docker/dockerfile:1
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY .swcrc tsconfig.json ./
COPY tools tools
COPY migrations migrations
COPY libs libs
COPY apps apps
COPY test test
RUN npm run build && rm -rf dist/test && npm prune --omit=dev

FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY apps/cli/bin apps/cli/bin
COPY tools/probe.js tools/probe.js
USER node
EXPOSE 8080
# The daemon handles SIGTERM itself: it drains and exits 0, so it may be process 1.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD node tools/probe.js "http://127.0.0.1:${OPS_PORT:-8080}/health/live"
ENTRYPOINT ["node", "apps/cli/bin/loyaltyd.js"]
CMD ["start"]
