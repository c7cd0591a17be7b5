// Calls the example by the client that oapi-codegen generates, and checks the answers.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"reflect"
)

// must ends the program if a call failed or an answer is not the expected one.
func must(err error, ok bool, got any) {
	if err != nil || !ok {
		fmt.Fprintf(os.Stderr, "unexpected: %+v, %v\n", got, err)
		os.Exit(1)
	}
}

func main() {
	ctx := context.Background()
	client, err := NewClientWithResponses(os.Args[1])
	must(err, err == nil, nil)

	city, limit := "Wien", uint32(3)
	listed, err := client.GetHotelsWithResponse(ctx, &GetHotelsParams{City: &city, Limit: &limit})
	must(err, err == nil && listed.JSON200 != nil && len(*listed.JSON200) == 3, listed)
	must(nil, (*listed.JSON200)[2].Id == 15, listed)

	found, err := client.GetHotelsByIdWithResponse(ctx, 7)
	must(err, err == nil && found.JSON200 != nil, found)
	hotel := *found.JSON200
	must(nil, hotel.Name == "Hotel 7" && hotel.Rooms[1].Rate == 105 && hotel.Rooms[1].Breakfast, hotel)

	missing, err := client.GetHotelsByIdWithResponse(ctx, 999)
	must(err, err == nil && missing.ApplicationproblemJSON404 != nil, missing)
	must(nil, *missing.ApplicationproblemJSON404.Detail == "there is no hotel 999", missing)

	created, err := client.PostHotelsWithResponse(ctx, hotel)
	must(err, err == nil && created.JSON201 != nil && reflect.DeepEqual(*created.JSON201, hotel), created)
	must(nil, created.HTTPResponse.Header.Get("Location") == "/hotels/7", created)

	ada := Person{Name: "Ada", Age: 36, Tags: []string{"first"}}
	echoed, err := client.PostEchoWithResponse(ctx, ada)
	must(err, err == nil && echoed.JSON200 != nil && reflect.DeepEqual(*echoed.JSON200, ada), echoed)
	refused, err := client.PostEchoWithResponse(ctx, Person{Name: "Ada"})
	must(err, err == nil && refused.ApplicationproblemJSON422 != nil, refused)
	must(nil, (*refused.ApplicationproblemJSON422.Errors)[0].In == Body, refused)

	// Without `Accept`, the response is a stream of lines.
	json := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Accept", "application/json")
		return nil
	}
	streamed, err := client.GetHotelsStreamWithResponse(ctx, json)
	must(err, err == nil && streamed.JSON200 != nil && len(*streamed.JSON200) == 50, streamed)

	text, err := client.GetTextBySWithResponse(ctx, "a/ü")
	must(err, err == nil && string(text.Body) == "a/ü", text)
	health, err := client.GetHealthWithResponse(ctx)
	must(err, err == nil && health.StatusCode() == http.StatusNoContent, health)
	fmt.Println("Go called every operation")
}
