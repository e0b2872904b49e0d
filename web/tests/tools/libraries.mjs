// Client libraries of tools as published on npm. Each is started as its documentation says, with its network at `base`.

/**
 * Assigns a library that is not initialised to a global, like a page that shares the module, and waits until the script
 * has read it twice.
 */
const lookedAt = async (name, library) => {
  let looks = 0;
  await new Promise((done) => {
    const get = () => {
      looks += 1;
      if (looks === 2) done(looks);
      return library;
    };
    Object.defineProperty(window, name, { configurable: true, get });
  });
  Object.defineProperty(window, name, { configurable: true, writable: true, enumerable: true, value: library });
};

export const segment = async (base) => {
  const { AnalyticsBrowser } = await import("@segment/analytics-next");
  const { host } = new URL(base);
  const cdnSettings = { integrations: { "Segment.io": { apiKey: "key" } } };
  window.analytics = AnalyticsBrowser.load(
    { writeKey: "key", cdnSettings },
    { integrations: { "Segment.io": { apiHost: `${host}/stub/segment`, protocol: "http" } } },
  );
};

export const rudderstack = async (base) => {
  const { RudderAnalytics } = await import("@rudderstack/analytics-js/bundled");
  window.rudderanalytics = new RudderAnalytics();
  const source = {
    id: "s",
    name: "s",
    writeKey: "key",
    enabled: true,
    workspaceId: "w",
    destinations: [],
    config: { statsCollection: { errors: { enabled: false }, metrics: { enabled: false } } },
  };
  window.rudderanalytics.load("2L8Fl7ryPss3Zku133Pj5ox7NeP", `${base}/stub/rudderstack`, {
    getSourceConfig: () => ({ source }),
    lockIntegrationsVersion: true,
  });
};

export const mixpanel = async (base) => {
  const { default: mixpanel } = await import("mixpanel-browser");
  await lookedAt("mixpanel", mixpanel);
  mixpanel.init("token", { api_host: `${base}/stub/mixpanel`, batch_requests: false, api_payload_format: "json" });
};

export const amplitude = async (base) => {
  window.amplitude = await import("@amplitude/analytics-browser");
  window.amplitude.init("key", {
    serverUrl: `${base}/stub/amplitude`,
    autocapture: false,
    fetchRemoteConfig: false,
    flushIntervalMillis: 50,
  });
};

export const posthog = async (base) => {
  const { default: posthog } = await import("posthog-js");
  await lookedAt("posthog", posthog);
  posthog.init("key", {
    api_host: `${base}/stub/posthog`,
    autocapture: false,
    capture_pageview: false,
    disable_compression: true,
    disable_external_dependency_loading: true,
    disable_session_recording: true,
    request_batching: false,
    opt_out_useragent_filter: true,
  });
};

export const plausible = async (base) => {
  const { init, track } = await import("@plausible-analytics/tracker");
  init({
    domain: "shop.example",
    endpoint: `${base}/stub/plausible`,
    captureOnLocalhost: true,
    autoCapturePageviews: false,
    bindToWindow: true,
  });
  window.plausible ??= track;
};

export const adobe = async (base) => {
  window.adobeDataLayer = [];
  await import("@adobe/adobe-client-data-layer/dist/adobe-client-data-layer.min.js");
  window.adobeDataLayer.push((layer) =>
    layer.addEventListener("experiment_viewed", ({ event, experiment }) =>
      fetch(`${base}/stub/adobe`, { method: "POST", body: JSON.stringify({ event, experiment }) }),
    ),
  );
};

export const clarity = async (base) => {
  const { clarity } = await import("clarity-js");
  // Without this API, requests are text, which the test can read.
  delete window.CompressionStream;
  // Like Clarity's tag: calls are commands of the library.
  window.clarity = (command, ...given) => clarity[command](...given);
  clarity.start({ projectId: "project", upload: `${base}/stub/clarity`, delay: 100, track: true, content: false });
};
