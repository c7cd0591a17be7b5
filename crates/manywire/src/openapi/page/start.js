// Shows the document that the page names. Without a validator, which would be another host.
const root = document.getElementById("swagger-ui");
SwaggerUIBundle({
  url: root.dataset.document,
  domNode: root,
  deepLinking: true,
  displayRequestDuration: true,
  validatorUrl: "none",
});
