/* Reads a CTF trace through the C interface of libbabeltrace2, touches each
 * event, and prints how many there were and how long it took.
 *
 *   babeltrace_reader FOLDER    →  "EVENTS SECONDS"
 *
 * The graph is that of its manual: a source of files, the muxer, and a sink
 * that takes messages. The least that any program must do with it. */

#include <babeltrace2/babeltrace.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t events;

static void Fail(const char* what) {
  fprintf(stderr, "babeltrace_reader: %s\n", what);
  exit(1);
}

static bt_component_class_initialize_method_status Initialize(
    bt_self_component_sink* sink,
    bt_self_component_sink_configuration* configuration, const bt_value* params,
    void* data) {
  (void)configuration, (void)params, (void)data;
  return bt_self_component_sink_add_input_port(sink, "in", NULL, NULL) ==
                 BT_SELF_COMPONENT_ADD_PORT_STATUS_OK
             ? BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK
             : BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
}

static bt_component_class_sink_graph_is_configured_method_status Configured(
    bt_self_component_sink* sink) {
  bt_message_iterator* iterator = NULL;
  if (bt_message_iterator_create_from_sink_component(
          sink, bt_self_component_sink_borrow_input_port_by_index(sink, 0),
          &iterator) !=
      BT_MESSAGE_ITERATOR_CREATE_FROM_SINK_COMPONENT_STATUS_OK) {
    return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_ERROR;
  }
  bt_self_component_set_data(bt_self_component_sink_as_self_component(sink),
                             iterator);
  return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_OK;
}

static bt_component_class_sink_consume_method_status Consume(
    bt_self_component_sink* sink) {
  bt_message_iterator* iterator = bt_self_component_get_data(
      bt_self_component_sink_as_self_component(sink));
  bt_message_array_const messages;
  uint64_t count = 0;
  const bt_message_iterator_next_status status =
      bt_message_iterator_next(iterator, &messages, &count);
  if (status == BT_MESSAGE_ITERATOR_NEXT_STATUS_END) {
    bt_message_iterator_put_ref(iterator);
    return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_END;
  }
  if (status != BT_MESSAGE_ITERATOR_NEXT_STATUS_OK) {
    return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_ERROR;
  }
  for (uint64_t i = 0; i < count; ++i) {
    if (bt_message_get_type(messages[i]) == BT_MESSAGE_TYPE_EVENT) {
      const bt_event* event =
          bt_message_event_borrow_event_const(messages[i]);
      events += bt_event_borrow_payload_field_const(event) != NULL;
    }
    bt_message_put_ref(messages[i]);
  }
  return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_OK;
}

int main(int argc, char** argv) {
  if (argc != 2) Fail("usage: babeltrace_reader FOLDER");
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);

  const bt_plugin *ctf = NULL, *utils = NULL;
  if (bt_plugin_find("ctf", BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE,
                     &ctf) != BT_PLUGIN_FIND_STATUS_OK ||
      bt_plugin_find("utils", BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE,
                     &utils) != BT_PLUGIN_FIND_STATUS_OK) {
    Fail("its plug-ins are not installed (babeltrace2)");
  }
  bt_graph* graph = bt_graph_create(0);
  bt_value* params = bt_value_map_create();
  bt_value* inputs = bt_value_array_create();
  bt_value_array_append_string_element(inputs, argv[1]);
  bt_value_map_insert_entry(params, "inputs", inputs);
  const bt_component_source* source = NULL;
  const bt_component_filter* muxer = NULL;
  const bt_component_sink* sink = NULL;
  bt_component_class_sink* sink_class =
      bt_component_class_sink_create("count", Consume);
  bt_component_class_sink_set_initialize_method(sink_class, Initialize);
  bt_component_class_sink_set_graph_is_configured_method(sink_class,
                                                         Configured);
  if (bt_graph_add_source_component(
          graph,
          bt_plugin_borrow_source_component_class_by_name_const(ctf, "fs"),
          "source", params, BT_LOGGING_LEVEL_NONE, &source) !=
          BT_GRAPH_ADD_COMPONENT_STATUS_OK ||
      bt_graph_add_filter_component(
          graph,
          bt_plugin_borrow_filter_component_class_by_name_const(utils, "muxer"),
          "muxer", NULL, BT_LOGGING_LEVEL_NONE, &muxer) !=
          BT_GRAPH_ADD_COMPONENT_STATUS_OK ||
      bt_graph_add_sink_component(graph, sink_class, "sink", NULL,
                                  BT_LOGGING_LEVEL_NONE, &sink) !=
          BT_GRAPH_ADD_COMPONENT_STATUS_OK) {
    Fail("the trace cannot be opened");
  }
  const uint64_t ports = bt_component_source_get_output_port_count(source);
  for (uint64_t i = 0; i < ports; ++i) {
    bt_graph_connect_ports(
        graph,
        bt_component_source_borrow_output_port_by_index_const(source, i),
        bt_component_filter_borrow_input_port_by_index_const(muxer, i), NULL);
  }
  bt_graph_connect_ports(
      graph, bt_component_filter_borrow_output_port_by_index_const(muxer, 0),
      bt_component_sink_borrow_input_port_by_index_const(sink, 0), NULL);
  if (bt_graph_run(graph) != BT_GRAPH_RUN_STATUS_OK) Fail("cannot be read");

  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("%llu %.6f\n", (unsigned long long)events,
         (double)(end.tv_sec - begin.tv_sec) +
             (double)(end.tv_nsec - begin.tv_nsec) * 1e-9);
  return 0;
}
